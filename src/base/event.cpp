#include "base/event.h"

#include <fmt/format.h>

#include <cstdio>
#include <mutex>
#include <vector>

#include "base/config.h"
#include "base/fork.h"
#include "base/trace.h"

namespace frit {

struct Subscription::State {
  std::recursive_mutex running;  // recursive: a subscriber may emit, or end its own subscription
  std::function<void(const Event&)> fn;
  uint32_t channels = 0;
  bool ended = false;
};

namespace {

struct ChannelText {
  const char* name;
  const char* meaning;
};

constexpr ChannelText kChannels[kChannelCount] = {
    {"graph", "captured graphs"},
    {"guards", "the guards of each entry"},
    {"graph_breaks", "where a capture ended early, and why"},
    {"recompiles", "which guard failed and made a new compile"},
    {"output_code", "generated code"},
    {"aot_graphs", "joint, forward and backward graphs"},
    {"passes", "what each graph pass changed, and its time"},
    {"fusion", "what was fused, and what was not and why"},
    {"schedule", "loops and the memory plan"},
    {"cache", "hits, misses and damaged files of the cache"},
    {"dynamic", "symbols made and facts learned about them"},
    {"perf_hints", "what would make a program faster"},
};

using Subscribers = std::vector<std::shared_ptr<Subscription::State>>;
using Writer = std::function<void(std::string_view)>;

struct Sink {
  ForkMutex mutex;
  uint32_t printed = 0;
  bool logs_read = false;
  std::shared_ptr<const Subscribers> subscribers = std::make_shared<Subscribers>();
  std::shared_ptr<const Writer> writer;

  // With the mutex held.
  uint32_t publish() {
    uint32_t mask = printed;
    for (const auto& s : *subscribers) mask |= s->channels;
    if (!logs_read) mask |= detail::kLogsUnread;
    detail::channel_mask.store(mask, std::memory_order_relaxed);
    return mask;
  }
};

Sink& sink() {
  static Sink* s = new Sink;
  return *s;
}

std::string known_channels() {
  std::string out;
  for (const ChannelText& c : kChannels) out += (out.empty() ? "" : ", ") + std::string(c.name);
  return out;
}

// The bits of a list of names; names that are unknown are added to `unknown`.
uint32_t parse_channels(std::string_view names, std::string& unknown) {
  uint32_t bits = 0;
  while (!names.empty()) {
    size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names = comma == names.npos ? "" : names.substr(comma + 1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name.empty()) continue;
    if (name == "all")
      bits |= kAllChannels;
    else if (auto c = channel_named(name))
      bits |= channel_bit(*c);
    else
      unknown += (unknown.empty() ? "" : ", ") + std::string(name);
  }
  return bits;
}

void write_line(const Writer* writer, const std::string& line) {
  if (writer && *writer)
    (*writer)(line);
  else
    std::fwrite(line.data(), 1, line.size(), stderr);
}

// A listener's exception must not end the work that it listens to.
template <class F>
void guarded(F&& call) {
  try {
    call();
  } catch (const std::exception& e) {
    notice_once("event", std::string("a listener for events failed: ") + e.what());
  } catch (...) {
    notice_once("event", "a listener for events failed");
  }
}

// Once, with the first look at who listens, and for the life of the process.
void start_trace() {
  static Subscription* trace = new Subscription([] {
    auto folder = env("FRIT_TRACE");
    return folder && !folder->empty() ? trace_into(*folder) : Subscription();
  }());
  (void)trace;
}

}  // namespace

const char* channel_name(Channel c) { return kChannels[static_cast<int>(c)].name; }
const char* channel_meaning(Channel c) { return kChannels[static_cast<int>(c)].meaning; }

std::optional<Channel> channel_named(std::string_view name) {
  for (int i = 0; i < kChannelCount; ++i)
    if (name == kChannels[i].name) return static_cast<Channel>(i);
  return std::nullopt;
}

uint32_t detail::read_logs_variable() {
  std::string unknown;
  uint32_t bits = parse_channels(env("FRIT_LOGS").value_or(""), unknown);
  if (!unknown.empty())
    notice_once("FRIT_LOGS",
                "FRIT_LOGS: unknown: " + unknown + "; known: all, " + known_channels());
  start_trace();
  Sink& s = sink();
  std::lock_guard lock(s.mutex);
  if (!s.logs_read) s.printed = bits;
  s.logs_read = true;
  return s.publish();
}

void set_logs(std::string_view names) {
  std::string unknown;
  uint32_t bits = parse_channels(names, unknown);
  if (!unknown.empty())
    throw UserError(ErrorKind::value, "set_logs", "unknown log channel: " + unknown + ".",
                    "one or more of all, " + known_channels());
  start_trace();
  Sink& s = sink();
  std::lock_guard lock(s.mutex);
  s.printed = bits;
  s.logs_read = true;
  s.publish();
}

void set_log_writer(std::function<void(std::string_view)> writer) {
  auto shared = writer ? std::make_shared<const Writer>(std::move(writer)) : nullptr;
  Sink& s = sink();
  std::lock_guard lock(s.mutex);
  s.writer.swap(shared);
}

std::string format_event(const Event& event) {
  std::string_view text = event.text;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  bool one_line = text.find('\n') == text.npos;
  std::string out = fmt::format("[{}]", channel_name(event.channel));
  if (event.name && *event.name) {
    out += fmt::format(" {}", event.name);
    if (one_line && !text.empty()) out += ':';
  }
  if (one_line && !text.empty()) out += fmt::format(" {}", text);
  std::string tail = event.where.short_text();
  if (event.ms >= 0) tail += fmt::format("{}{:.3g} ms", tail.empty() ? "" : ", ", event.ms);
  if (!tail.empty()) out += fmt::format("  ({})", tail);
  out += '\n';
  if (!one_line) out.append(text) += '\n';
  return out;
}

void emit(const Event& event) noexcept {
  if (!log_enabled(event.channel)) return;
  const uint32_t bit = channel_bit(event.channel);
  Sink& s = sink();
  std::shared_ptr<const Subscribers> subscribers;
  std::shared_ptr<const Writer> writer;
  bool print;
  {
    std::lock_guard lock(s.mutex);
    print = s.printed & bit;
    subscribers = s.subscribers;
    writer = s.writer;
  }
  if (print) guarded([&] { write_line(writer.get(), format_event(event)); });
  for (const auto& state : *subscribers) {
    if (!(state->channels & bit)) continue;
    guarded([&] {
      std::lock_guard lock(state->running);
      if (!state->ended) state->fn(event);
    });
  }
}

Subscription subscribe(std::function<void(const Event&)> fn, uint32_t channels) {
  Subscription out;
  out.state_ = std::make_shared<Subscription::State>();
  out.state_->fn = std::move(fn);
  out.state_->channels = channels & kAllChannels;
  Sink& s = sink();
  std::lock_guard lock(s.mutex);
  auto next = std::make_shared<Subscribers>(*s.subscribers);
  next->push_back(out.state_);
  s.subscribers = std::move(next);
  s.publish();
  return out;
}

Subscription& Subscription::operator=(Subscription&& o) noexcept {
  if (this != &o) {
    reset();
    state_ = std::move(o.state_);
  }
  return *this;
}

void Subscription::reset() {
  std::shared_ptr<State> state = std::move(state_);
  if (!state) return;
  {
    Sink& s = sink();
    std::lock_guard lock(s.mutex);
    auto next = std::make_shared<Subscribers>(*s.subscribers);
    std::erase(*next, state);
    s.subscribers = std::move(next);
    s.publish();
  }
  std::lock_guard lock(state->running);
  state->ended = true;
}

}  // namespace frit
