#include "base/fork.h"

#include <pthread.h>

namespace frit {

// The list only grows, at its head; the guard makes registration and fork exclude each other.
struct ForkHandlers {
  static std::mutex& guard() {
    static std::mutex* m = new std::mutex;
    return *m;
  }
  static ForkMutex*& first() {
    static ForkMutex* head = nullptr;
    return head;
  }
  static void before() {
    guard().lock();
    for (ForkMutex* m = first(); m; m = m->next_) m->lock();
  }
  static void after() {
    for (ForkMutex* m = first(); m; m = m->next_) m->unlock();
    guard().unlock();
  }
  static void add(ForkMutex* m) {
    static const int installed = pthread_atfork(&before, &after, &after);
    (void)installed;
    std::lock_guard lock(guard());
    m->next_ = first();
    first() = m;
  }
};

ForkMutex::ForkMutex() { ForkHandlers::add(this); }

}  // namespace frit
