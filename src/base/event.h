// What Frit tells the world about its work: events on named channels. FRIT_LOGS or set_logs prints
// channels to stderr; a debug tool subscribes. Nobody who emits knows who listens.
//
//   if (log_enabled(Channel::graph)) emit({.channel = Channel::graph, .name = "forward", .text =
//   ...});
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json_fwd.h"

namespace frit {

// PyTorch's names for the same things.
enum class Channel : uint8_t {
  graph,         // captured graphs
  guards,        // the guards of each entry
  graph_breaks,  // where a capture ended early, and why
  recompiles,    // which guard failed
  output_code,   // generated code
  aot_graphs,    // joint, forward and backward graphs
  passes,        // each graph pass: what it changed, how long it took
  fusion,        // what was fused and what was not
  schedule,      // loops and the memory plan
  cache,         // hits, misses, damaged files
  dynamic,       // symbols made, facts learned
  perf_hints,    // what would make it faster
};
inline constexpr int kChannelCount = 12;

const char* channel_name(Channel c);
const char* channel_meaning(Channel c);
std::optional<Channel> channel_named(std::string_view name);

namespace detail {
// One bit a channel: somebody listens. The top bit: FRIT_LOGS has not been read yet.
inline constexpr uint32_t kLogsUnread = 1u << 31;
inline constinit std::atomic<uint32_t> channel_mask{kLogsUnread};
uint32_t read_logs_variable();
}  // namespace detail

// Whether an event on this channel would be printed or handed to anyone. One relaxed load.
inline bool log_enabled(Channel c) {
  uint32_t mask = detail::channel_mask.load(std::memory_order_relaxed);
  if (mask & detail::kLogsUnread) [[unlikely]]
    mask = detail::read_logs_variable();
  return mask >> static_cast<int>(c) & 1;
}

struct Event {
  Channel channel;
  const char* name = "";            // static or interned: what happened, or to what
  std::string text = {};            // for people; may have many lines
  std::function<Json()> data = {};  // for tools; asked for only by those who want it
  SourceLocation where = {};
  double ms = -1;  // how long it took; negative where that means nothing
};

// Prints the event where its channel is printed and hands it to the subscribers of its channel, in
// the order they subscribed. Raises nothing: a subscriber's exception becomes a notice.
void emit(const Event& event) noexcept;

// Prints as
//   [recompiles] step: guard failed  (train.cpp:31, 1.2 ms)
// and a text of several lines below its first line.
std::string format_event(const Event& event);

// Replaces what is printed: names separated by commas, "all", or "" for nothing. An unknown name is
// a UserError that lists the known ones. The variable FRIT_LOGS, read once, gives a notice instead.
void set_logs(std::string_view names);
// Where printed events go; null is stderr. For tests and for programs with a log of their own.
void set_log_writer(std::function<void(std::string_view line)> writer);

// Keeps a subscription alive. When reset() or the destructor returns, the function is not running
// in another thread and will not be called again.
class Subscription {
 public:
  Subscription() = default;
  Subscription(Subscription&& o) noexcept = default;
  Subscription& operator=(Subscription&& o) noexcept;
  ~Subscription() { reset(); }
  void reset();
  explicit operator bool() const { return state_ != nullptr; }

  struct State;

 private:
  friend Subscription subscribe(std::function<void(const Event&)>, uint32_t);
  std::shared_ptr<State> state_;
};

inline constexpr uint32_t kAllChannels = (1u << kChannelCount) - 1;
constexpr uint32_t channel_bit(Channel c) { return 1u << static_cast<int>(c); }

// Calls for one subscriber never overlap; they come on the thread that emits.
[[nodiscard]] Subscription subscribe(std::function<void(const Event&)> fn,
                                     uint32_t channels = kAllChannels);

}  // namespace frit
