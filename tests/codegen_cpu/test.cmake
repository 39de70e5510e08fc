# Texts are compiled and run here, beside eager.
if(TARGET frit_cc AND TARGET frit_loops)
  frit_test(ROOM codegen_cpu USES codegen_cpu jit passes)
endif()
