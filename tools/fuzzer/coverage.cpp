#include "fuzzer/coverage.h"

#include <fmt/format.h>
#include <frit/autograd.h>

#include <nlohmann/json.hpp>

#include "core/layout.h"

namespace frit::fuzz {
namespace {

bool overlaps_itself(const TensorImpl& t) {
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] > 1 && t.strides[d] == 0) return true;
  return false;
}

// Names and counts in columns of one width.
std::string table(const std::map<std::string, int64_t>& counts) {
  std::string out, line;
  for (const auto& [name, n] : counts) {
    std::string cell = fmt::format("{:<31}{:>7}", name, n);
    line += (line.empty() ? "  " : "  ") + cell;
    if (line.size() > 110) out += line + "\n", line.clear();
  }
  return line.empty() ? out : out + line + "\n";
}

int64_t count_of(const Coverage& c, const char* group, const std::string& name) {
  auto g = c.groups.find(group);
  if (g == c.groups.end()) return 0;
  auto n = g->second.find(name);
  return n == g->second.end() ? 0 : n->second;
}

// Every op of the registry that was reached: called by programs + nodes of compiled graphs.
std::string op_table(const Coverage& c) {
  std::string out = "ops (called by programs + nodes of graphs)\n", line;
  for (const OpRecord* r : registry().all()) {
    int64_t called = count_of(c, "ops", r->full_name);
    int64_t nodes = count_of(c, "graph ops", r->full_name);
    if (!called && !nodes) continue;
    std::string counts = fmt::format("{} + {}", called, nodes);
    line += fmt::format("{}{:<33}{:>12}", "  ", r->full_name, counts);
    if (line.size() > 90) out += line + "\n", line.clear();
  }
  return line.empty() ? out : out + line + "\n";
}

}  // namespace

void Coverage::count(const std::string& group, const std::string& name, int64_t by) {
  if (by) groups[group][name] += by;
}

void Coverage::note(const Program& p) {
  count("programs", "all");
  if (p.fixed_sizes) count("programs", "of fixed sizes");
  for (const InputSpec& s : p.inputs) {
    count("dtypes of inputs", std::string(name(s.dtype)));
    if (s.requires_grad) count("inputs", s.computed ? "computed, with gradient" : "with gradient");
    if (s.alias_of >= 0) count("inputs", "share memory");
    static constexpr const char* kLayouts[] = {"dense", "transposed", "every second element",
                                               "expanded"};
    count("inputs", kLayouts[static_cast<int>(s.layout)]);
  }
  if (p.raises) count("statements", "raise");
  std::vector<Tensor> v = make_inputs(p, 0, 0).given;
  std::vector<bool> is_view(v.size(), false);
  PhiloxState drawn = default_generator()->state();
  for (const Statement& s : p.statements) {
    if (s.no_grad) count("statements", "under no_grad");
    if (!s.sizes.empty()) count("statements", "sizes of a tensor as arguments");
    if (!s.record) {
      static constexpr const char* kKinds[] = {"", "branch on a value", "branch on a size",
                                               "backward"};
      count("statements", kKinds[static_cast<int>(s.kind)]);
    }
    const Tensor target =
        s.record && s.record->writes() && !s.variables.empty() ? v[static_cast<size_t>([&] {
          for (size_t i = 0; i < s.variables.size(); ++i)
            if (s.record->schema.args[i].is_written && !s.variables[i].empty())
              return s.variables[i][0];
          return 0;
        }())]
                                                               : Tensor();
    size_t before = v.size();
    try {
      execute(s, v);
    } catch (const UserError&) {
      if (target.defined())
        count("writes",
              overlaps_itself(*target.impl()) ? "to an expanded tensor, refused" : "refused");
      break;
    }
    is_view.resize(v.size(), false);
    if (!s.record) continue;
    count("ops", s.record->full_name);
    if (!(default_generator()->state() == drawn)) count("statements", "random");
    drawn = default_generator()->state();
    for (size_t i = before; i < v.size(); ++i)
      count("dtypes of results", std::string(name(v[i].dtype())));
    if (target.defined()) {
      size_t others = 0;
      bool of_input = false;
      for (size_t i = 0; i < before; ++i) {
        if (!v[i].shares_storage_with(target)) continue;
        others += !v[i].is_same(target);
        of_input = of_input || i < p.inputs.size();
      }
      count("writes", others ? "through an alias" : "to a tensor without aliases");
      if (of_input) count("writes", others ? "to an input, through an alias" : "to an input");
      if (target.requires_grad()) count("writes", "with gradient");
    } else {
      for (size_t i = before; i < v.size(); ++i)
        for (size_t j = 0; j < before; ++j)
          if (!v[i].is_same(v[j]) && v[i].shares_storage_with(v[j])) {
            count("views", s.record->full_name);
            for (const auto& list : s.variables)
              if (!list.empty() && is_view[static_cast<size_t>(list[0])] &&
                  v[static_cast<size_t>(list[0])].shares_storage_with(v[i])) {
                count("statements", "view of a view");
                break;
              }
            is_view[i] = true;
            break;
          }
    }
  }
}

void Coverage::add(const Coverage& other) {
  for (const auto& [group, counts] : other.groups)
    for (const auto& [name, n] : counts) groups[group][name] += n;
}

std::string Coverage::json() const { return nlohmann::json(groups).dump(); }

Coverage Coverage::parse(const std::string& text) {
  Coverage c;
  c.groups = nlohmann::json::parse(text).get<decltype(c.groups)>();
  return c;
}

std::vector<std::string> unreached_ops(const Coverage& c) {
  std::vector<std::string> missing;
  for (const OpRecord* r : registry().all())
    if (!count_of(c, "ops", r->full_name) && !count_of(c, "graph ops", r->full_name))
      missing.push_back(r->full_name);
  return missing;
}

std::string text(const Coverage& c) {
  std::string out;
  for (const auto& [group, counts] : c.groups)
    if (group != "ops" && group != "graph ops")
      out += fmt::format("{} ({})\n{}", group, counts.size(), table(counts));
  out += op_table(c);
  std::vector<std::string> missing = unreached_ops(c);
  size_t all = registry().all().size();
  out += fmt::format("{} of {} ops reached{}\n", all - missing.size(), all,
                     missing.empty() ? "" : "; never: ");
  std::string line = " ";
  for (const std::string& name : missing) {
    if (line.size() + name.size() > 116) out += line + "\n", line = " ";
    line += " " + name;
  }
  return missing.empty() ? out : out + line + "\n";
}

}  // namespace frit::fuzz
