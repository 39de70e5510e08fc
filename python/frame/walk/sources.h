// All sources of a walk, hash-consed, and their names in the user's words.
#pragma once
#include <deque>
#include <string>
#include <unordered_map>

#include "frame/walk/value.h"

namespace frit::walk {

// "self.layers[0].weight": modules' own containers are left out of the way to a parameter.
std::string source_text(const Source&);

class SourceTable {
 public:
  // The source of that path, made where it is new. `is_new` says so.
  Source& at(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index, PyObject* seen,
             bool* is_new = nullptr);
  // The source of the path, or null.
  Source* find(SourceKind kind, Source* parent, PyObject* key, Py_ssize_t index);
  // The object itself.
  Source& constant(PyObject* o);

  Shadow& new_shadow(ShadowKind kind);
  Fresh& new_fresh();
  const std::deque<Source>& all() const { return sources_; }
  std::deque<Source>& all() { return sources_; }

 private:
  Source* lookup(uint64_t hash, SourceKind, Source*, PyObject* key, Py_ssize_t index);
  std::deque<Source> sources_;
  std::deque<Shadow> shadows_;
  std::deque<Fresh> fresh_;
  std::unordered_map<uint64_t, Source*> by_hash_;
  std::unordered_map<PyObject*, Source*> constants_;
};

}  // namespace frit::walk
