// Maximum flow / minimum cut (Dinic's algorithm), small and integer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace frit::grad {

class FlowNetwork {
 public:
  static constexpr int64_t kInfinite = int64_t{1} << 60;
  explicit FlowNetwork(int nodes) : first_(static_cast<std::size_t>(nodes), -1) {}
  void add_edge(int from, int to, int64_t capacity);
  // Saturates source -> sink; afterwards reachable(n) says which side of the minimum cut n is on.
  int64_t run(int source, int sink);
  bool reachable(int node) const { return level_[static_cast<std::size_t>(node)] >= 0; }

 private:
  struct Edge {
    int to, next;
    int64_t left;
  };
  bool find_levels(int source, int sink);
  int64_t push(int node, int sink, int64_t limit);
  std::vector<Edge> edges_;
  std::vector<int> first_, level_, current_;
};

}  // namespace frit::grad
