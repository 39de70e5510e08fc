#include <fmt/format.h>
#include <frit/debug.h>

#include <filesystem>

#include "base/doc.h"
#include "compile/callable.h"

namespace frit {
namespace {

void add_kernels(const compiler::Runnable* graph, std::vector<Explanation::Kernel>& kernels,
                 bool backward) {
  if (!graph || !graph->code()) return;
  for (const runtime::KernelInfo& k : graph->code()->plan().kernels)
    kernels.push_back({backward ? "backward" : k.stage, k.name, k.kind, k.ops});
}

Explanation::Entry explain_entry(const compiler::Entry& e) {
  Explanation::Entry out;
  out.name = e.name;
  switch (e.end) {
    case compiler::Entry::End::returned:
      out.ends = "returns";
      break;
    case compiler::Entry::End::value_read:
      out.ends = "a value is read at " + e.ended_at.text();
      break;
    case compiler::Entry::End::op_count:
      out.ends = "it has as many ops as ops_per_graph allows, at " + e.ended_at.text();
      break;
    case compiler::Entry::End::rest_is_eager:
      out.ends = e.rest_why->text + ", at " + e.ended_at.text();
      break;
  }
  out.guards = e.guards_text();
  out.runs = e.runs.load();
  if (!e.compilation) return out;
  out.compile_ms = e.compilation->ms;
  out.folder = e.compilation->debug_folder;
  add_kernels(e.compilation->forward.get(), out.kernels, false);
  add_kernels(e.compilation->backward_if_ready(), out.kernels, true);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (auto& w : words) all += (all.empty() ? "" : " ") + w;
  return all;
}

}  // namespace

int Explanation::kernel_count(const std::string& stage) const {
  int n = 0;
  for (const Entry& e : entries)
    for (const Kernel& k : e.kernels) n += stage.empty() || k.stage == stage;
  return n;
}

std::string Explanation::folder() const {
  std::string common;
  for (const Entry& e : entries) {
    if (e.folder.empty()) continue;
    if (common.empty())
      common = e.folder;
    else if (common != e.folder)
      return std::filesystem::path(e.folder).parent_path().string();
  }
  return common;
}

std::string Explanation::str() const {
  Doc doc;
  doc.heading(name);
  if (where) doc.row("compiled at", where.text());
  doc.row("calls", fmt::format("{}, {} of them eager", calls, eager_calls));
  doc.row("graphs", std::to_string(entries.size()));
  doc.row("graph breaks", std::to_string(breaks.size()));
  doc.row("recompiles", std::to_string(recompiles.size()));
  if (kernel_count())
    doc.row("kernels", fmt::format("{} forward, {} backward, {} optimizer", kernel_count("forward"),
                                   kernel_count("backward"), kernel_count("optimizer")));
  for (const Entry& e : entries) {
    Doc& part = doc.section("graph " + e.name);
    part.row("ends", e.ends);
    part.row("runs", std::to_string(e.runs));
    part.row("compiled in", fmt::format("{:.1f} ms", e.compile_ms));
    if (e.kernels.empty()) part.row("kernels", "none: it runs on eager kernels");
    if (!e.folder.empty()) part.row("debug files", e.folder);
    if (!e.guards.empty()) part.section("guards").code(e.guards);
    if (e.kernels.empty()) continue;
    std::vector<std::vector<std::string>> rows;
    for (const Kernel& k : e.kernels) rows.push_back({k.stage, k.kind, k.name, joined(k.ops)});
    part.section("kernels").table({{"stage"}, {"kind"}, {"name"}, {"ops"}}, std::move(rows));
  }
  for (const Break& b : breaks) {
    Doc& part = doc.section("break: " + b.text);
    if (b.times > 1) part.row("times", std::to_string(b.times));
    if (!b.hint.empty()) part.row("try", b.hint);
    if (b.where) part.source(b.where);
  }
  for (const std::string& reason : recompiles) doc.bullet("recompiled: " + reason);
  return doc.str();
}

Explanation explain(const compiler::Callable& callable) {
  Explanation out;
  out.name = callable.name();
  out.where = callable.where();
  out.calls = callable.calls();
  out.eager_calls = callable.eager_calls();
  for (auto& entry : callable.all_entries()) out.entries.push_back(explain_entry(*entry));
  for (auto& b : callable.breaks())
    out.breaks.push_back({b.stop.text, b.stop.hint, b.stop.where, b.times});
  for (auto& r : callable.recompiles()) out.recompiles.push_back(r.reason);
  return out;
}

}  // namespace frit
