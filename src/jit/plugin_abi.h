/* The one C interface between Frit and its compiler plugin, libfrit_cc.so: texts in, one shared
   object out. The plugin holds Clang, the X86 back end and lld, and hides every symbol but
   frit_cc_entry. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a structure below changes. */
#define FRIT_CC_ABI 1u
#define FRIT_CC_ENTRY "frit_cc_entry"
#define FRIT_CC_HEADER_NAME "frit_vec.h"

enum frit_cc_status {
  FRIT_CC_OK = 0,
  FRIT_CC_DIAGNOSTICS = 1, /* the texts do not compile or link; `text` says why */
  FRIT_CC_CRASH = 2,       /* the compiler crashed or gave up; `text` says where */
  FRIT_CC_HANG = 3,     /* the time limit passed; the plugin takes no more work in this process */
  FRIT_CC_UNUSABLE = 4, /* an earlier compile hung */
  FRIT_CC_INTERRUPTED = 5, /* `interrupted` said so */
  FRIT_CC_SYSTEM = 6,      /* no thread, no memory, cannot write */
  FRIT_CC_BAD_REQUEST = 7
};

enum frit_cc_flags {
  FRIT_CC_DEBUG_INFO = 1u << 0, /* line tables and variables */
  /* The header is precompiled first and that form is handed out, for later requests with the same
     header, cpu, features, vector width, optimisation and debug information. */
  FRIT_CC_PRECOMPILE = 1u << 1,
  /* a line "#pragma frit_test crash" (abort, fatal, exit, overflow, hang) in a text is obeyed */
  FRIT_CC_TEST_HOOKS = 1u << 2,
  /* The object is watched by the address or the thread sanitizer, whose run time the program that
     loads it must have. At most one of them. */
  FRIT_CC_ADDRESS_SANITIZER = 1u << 3,
  FRIT_CC_THREAD_SANITIZER = 1u << 4
};

enum frit_cc_optimize {
  FRIT_CC_SLIM = 0, /* the short list of passes that generated code needs */
  FRIT_CC_O1 = 1,
  FRIT_CC_O2 = 2,
  FRIT_CC_O3 = 3
};

struct frit_cc_text {
  const char* data; /* need not end in a zero */
  size_t size;
  const char* name; /* file name in diagnostics and debug information */
};

struct frit_cc_request {
  uint32_t abi;           /* FRIT_CC_ABI */
  uint32_t flags;         /* frit_cc_flags */
  uint32_t optimize;      /* frit_cc_optimize */
  uint32_t threads;       /* modules compiled at the same time; 0 means 1 */
  uint32_t time_limit_ms; /* 0 means none */
  uint32_t vector_width;  /* preferred vector width in bits */
  const char* cpu;        /* as for -march: "x86-64-v3" */
  const char* features;   /* "+gfni,+avx512fp16", or null */
  const struct frit_cc_text* modules;
  size_t module_count;
  struct frit_cc_text header; /* included before the first line of every module */
  const void* precompiled;    /* what an earlier result handed out for this header, or null */
  size_t precompiled_size;
  int (*interrupted)(void*); /* asked every few milliseconds by the calling thread; may be null */
  void* interrupted_context;
};

struct frit_cc_times { /* milliseconds; sums over the modules, whichever threads ran them */
  double precompile, front_end, optimize, codegen, link, total /* on the clock */;
};

struct frit_cc_result {
  int32_t status;        /* frit_cc_status */
  unsigned char* object; /* the shared object, null unless FRIT_CC_OK */
  size_t object_size;
  unsigned char* precompiled; /* of the header; only where it was asked for */
  size_t precompiled_size;
  char* text; /* diagnostics, or what went wrong; never null after a call */
  struct frit_cc_times times;
};

struct frit_cc_plugin {
  uint32_t abi;      /* FRIT_CC_ABI of the plugin */
  const char* build; /* identifies the plugin's sources and its LLVM; equal to the library's own */
  const char* llvm;  /* "19.1.7" */
  /* Any number of threads may call; linking takes turns. Returns the status as well. */
  int32_t (*compile)(const struct frit_cc_request*, struct frit_cc_result*);
  void (*release)(struct frit_cc_result*); /* frees what a result owns */
};

/* The plugin's only visible symbol. Every version of the plugin answers it; `abi` and `build` tell
   whether the rest can be used. */
typedef const struct frit_cc_plugin* (*frit_cc_entry_fn)(void);

#ifdef __cplusplus
}
#endif
