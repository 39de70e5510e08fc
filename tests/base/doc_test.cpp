#include "base/doc.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace frit {
namespace {

TEST(Doc, PlainText) {
  Doc d;
  d.heading("step");
  d.row("entries", "1").row("graph breaks", "0").row("files", "a\nb").row("none", "");
  d.paragraph("One graph for the whole of the training step.");
  Doc& guards = d.section("guards");
  guards.line("x is f32 cpu contiguous").line("x.size(0) = s0 in [2, inf)");
  guards.section("of the module")
      .bullet("norm.weight is the same parameter")
      .bullet("training is true");
  d.table({{"kernel"}, {"us", Align::right}}, {{"relu_square", "1.5"}, {"mm", "12.25"}});
  d.code("for (;;)\n  run();\n", "cpp");
  d.source("net.cpp:14 in Net::forward", "Tensor h = relu(x);");
  EXPECT_EQ(d.str(),
            R"(step
entries:      1
graph breaks: 0
files:        a
              b
none:

One graph for the whole of the training step.

guards
  x is f32 cpu contiguous
  x.size(0) = s0 in [2, inf)

  of the module
    - norm.weight is the same parameter
    - training is true

kernel          us
-----------  -----
relu_square    1.5
mm           12.25

  for (;;)
    run();

net.cpp:14 in Net::forward
    Tensor h = relu(x);
)");
  EXPECT_EQ(d.str(), Doc(d).str());
  EXPECT_EQ(Doc().str(), "");
}

TEST(Doc, FillsToTheWidth) {
  Doc d;
  d.paragraph("the quick brown fox jumps over the lazy dog");
  d.bullet("the quick brown fox jumps");
  d.section("in").paragraph("the quick brown fox");
  EXPECT_EQ(d.str(20),
            "the quick brown fox\njumps over the lazy\ndog\n\n"
            "- the quick brown\n  fox jumps\n\n"
            "in\n  the quick brown\n  fox\n");
  Doc longword;
  longword.paragraph("a abcdefghijklmnopqrstuvwxyz b");
  EXPECT_EQ(longword.str(10), "a\nabcdefghijklmnopqrstuvwxyz\nb\n");
}

TEST(Doc, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(text_width("\u00b5s"), 2);
  Doc d;
  d.table({{""}, {""}}, {{"\u00b5", "x"}, {"ab", "y"}});  // no titles: no heading lines
  EXPECT_EQ(d.str(), "\u00b5   x\nab  y\n");
}

TEST(Doc, Html) {
  Doc d;
  d.heading("a < b");
  d.row("k", "v&w").row("l", "m");
  d.line("one").line("two");
  d.bullet("x");
  Doc& s = d.section("inner");
  s.table({{"n", Align::right}}, {{"1"}});
  s.code("a\"b");
  d.source("net.cpp:1", "int x;");
  d.paragraph("end");
  EXPECT_EQ(d.html(),
            R"(<h2>a &lt; b</h2>
<dl>
<dt>k</dt><dd>v&amp;w</dd>
<dt>l</dt><dd>m</dd>
</dl>
<pre class="frit-lines">one
two</pre>
<ul>
<li>x</li>
</ul>
<section>
<h2>inner</h2>
<table class="frit-table">
<tr><th class="frit-right">n</th></tr>
<tr><td class="frit-right">1</td></tr>
</table>
<pre class="frit-code">a&quot;b</pre>
</section>
<div class="frit-place">net.cpp:1</div><pre class="frit-source">int x;</pre>
<p>end</p>
)");
}

TEST(Doc, AppendCopies) {
  Doc a;
  a.line("one").section("s").line("in");
  Doc b = a;
  b.append(b).line("last");
  EXPECT_EQ(a.str(), "one\n\ns\n  in\n");
  EXPECT_EQ(b.str(), "one\n\ns\n  in\n\none\n\ns\n  in\n\nlast\n");
}

TEST(Doc, TheLineOfTheProgram) {
  TempDir dir;
  std::string path = (dir / "net.cpp").string();
  write_file_atomic(path, "first\n\t  second line  \r\nthird");
  SourceLocation where;
  where.file = path.c_str();
  where.function = "Tensor Net::forward(Tensor)";
  where.line = 2;
  EXPECT_EQ(source_line(where), "second line");
  Doc d;
  d.source(where);
  EXPECT_EQ(d.str(), "net.cpp:2 in Net::forward\n    second line\n");
  where.line = 3;
  EXPECT_EQ(source_line(where), "third");
  where.line = 9;
  EXPECT_EQ(source_line(where), "");
  where.file = "/no/such/file.cpp";
  Doc missing;
  missing.source(where).source(SourceLocation());
  EXPECT_EQ(missing.str(), "file.cpp:9 in Net::forward\n");
}

TEST(Doc, RowsMustFit) {
  Doc d;
  EXPECT_THROW(d.table({{"a"}, {"b"}}, {{"1"}}), InternalError);
}

}  // namespace
}  // namespace frit
