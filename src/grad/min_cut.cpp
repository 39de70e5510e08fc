#include "grad/min_cut.h"

#include <algorithm>
#include <queue>

namespace frit::grad {

void FlowNetwork::add_edge(int from, int to, int64_t capacity) {
  edges_.push_back({to, first_[static_cast<size_t>(from)], capacity});
  first_[static_cast<size_t>(from)] = static_cast<int>(edges_.size()) - 1;
  edges_.push_back({from, first_[static_cast<size_t>(to)], 0});
  first_[static_cast<size_t>(to)] = static_cast<int>(edges_.size()) - 1;
}

bool FlowNetwork::find_levels(int source, int sink) {
  level_.assign(first_.size(), -1);
  level_[static_cast<size_t>(source)] = 0;
  std::queue<int> queue;
  queue.push(source);
  while (!queue.empty()) {
    int n = queue.front();
    queue.pop();
    for (int e = first_[static_cast<size_t>(n)]; e >= 0; e = edges_[static_cast<size_t>(e)].next) {
      const Edge& edge = edges_[static_cast<size_t>(e)];
      if (edge.left <= 0 || level_[static_cast<size_t>(edge.to)] >= 0) continue;
      level_[static_cast<size_t>(edge.to)] = level_[static_cast<size_t>(n)] + 1;
      queue.push(edge.to);
    }
  }
  return level_[static_cast<size_t>(sink)] >= 0;
}

// An explicit path instead of recursion: graphs are as deep as programs are long.
int64_t FlowNetwork::push(int source, int sink, int64_t) {
  std::vector<int> path;  // edge indices
  int at = source;
  while (at != sink) {
    int& e = current_[static_cast<size_t>(at)];
    while (e >= 0 && !(edges_[static_cast<size_t>(e)].left > 0 &&
                       level_[static_cast<size_t>(edges_[static_cast<size_t>(e)].to)] ==
                           level_[static_cast<size_t>(at)] + 1))
      e = edges_[static_cast<size_t>(e)].next;
    if (e >= 0) {
      path.push_back(e);
      at = edges_[static_cast<size_t>(e)].to;
      continue;
    }
    if (path.empty()) return 0;
    level_[static_cast<size_t>(at)] = -1;  // a dead end for this phase
    at = edges_[static_cast<size_t>(path.back() ^ 1)].to;
    path.pop_back();
  }
  int64_t flow = kInfinite;
  for (int e : path) flow = std::min(flow, edges_[static_cast<size_t>(e)].left);
  for (int e : path) {
    edges_[static_cast<size_t>(e)].left -= flow;
    edges_[static_cast<size_t>(e ^ 1)].left += flow;
  }
  return flow;
}

int64_t FlowNetwork::run(int source, int sink) {
  int64_t total = 0;
  while (find_levels(source, sink)) {
    current_ = first_;
    while (int64_t flow = push(source, sink, kInfinite)) total += flow;
  }
  return total;
}

}  // namespace frit::grad
