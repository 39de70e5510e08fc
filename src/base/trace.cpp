#include "base/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/config.h"
#include "base/json.h"

namespace frit {
namespace {

double now_us() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Calls never overlap: a subscriber's do not.
class TraceFile {
 public:
  explicit TraceFile(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void write(const Event& event) {
    if (!open()) return;
    Json line;
    // An event is told when what took its time is over.
    double took = event.ms >= 0 ? event.ms * 1000 : 0;
    line["name"] = event.name ? event.name : "";
    line["cat"] = channel_name(event.channel);
    line["ph"] = event.ms >= 0 ? "X" : "i";
    line["ts"] = now_us() - took;
    if (event.ms >= 0)
      line["dur"] = took;
    else
      line["s"] = "t";
    line["pid"] = process_;
    line["tid"] = gettid();
    Json& args = line["args"] = Json::object();
    if (!event.text.empty()) args["text"] = event.text;
    if (event.where) args["where"] = event.where.text();
    if (event.data) args["data"] = event.data();
    std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n";
    std::fwrite(text.data(), 1, text.size(), file_.get());
    std::fflush(file_.get());
  }

 private:
  bool open() {
    if (process_ == getpid()) return file_ != nullptr;
    process_ = getpid();
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    auto path = folder_ / fmt::format("trace-{}.json", process_);
    file_.reset(std::fopen(path.c_str(), "we"));
    if (file_)
      std::fputs("[\n", file_.get());
    else
      notice_once("FRIT_TRACE", fmt::format("FRIT_TRACE: no file {}: {}", path.string(),
                                            std::generic_category().message(errno)));
    return file_ != nullptr;
  }

  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::filesystem::path folder_;
  std::unique_ptr<std::FILE, Close> file_;
  pid_t process_ = 0;
};

}  // namespace

Subscription trace_into(const std::filesystem::path& folder) {
  return subscribe(
      [file = std::make_shared<TraceFile>(folder)](const Event& e) { file->write(e); });
}

}  // namespace frit
