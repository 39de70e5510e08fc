# The compiler plugin libfrit_cc.so: Clang, the X86 back end and lld linked statically into one shared
# object that shows one symbol. Nothing else in the project sees an LLVM header. It is never built with
# sanitizers or coverage, and relinks (about 80 MB) only when its own sources change.
#
# Debian: llvm-19-dev libclang-19-dev liblld-19-dev zlib1g-dev libzstd-dev
set(plugin_folder ${PROJECT_SOURCE_DIR}/src/jit/plugin)
set(plugin_sources entry.cpp front_end.cpp guard.cpp link.cpp module_compiler.cpp
    front_end.h guard.h module_compiler.h exports.map)
list(TRANSFORM plugin_sources PREPEND ${plugin_folder}/)

find_program(FRIT_LLVM_CONFIG NAMES llvm-config-19)
set(llvm_version none)
if(FRIT_LLVM_CONFIG)
  execute_process(COMMAND ${FRIT_LLVM_CONFIG} --version OUTPUT_VARIABLE llvm_version
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

# What the plugin makes depends on these files and on its LLVM. The library carries the same text, so
# that cache keys need no plugin and a plugin of another build is recognised.
set(identity ${llvm_version})
foreach(file IN LISTS plugin_sources ITEMS ${PROJECT_SOURCE_DIR}/src/jit/plugin_abi.h)
  file(SHA256 ${file} hash)
  string(APPEND identity ${hash})
endforeach()
string(SHA256 identity ${identity})
string(SUBSTRING ${identity} 0 16 identity)
set(FRIT_CC_BUILD "${llvm_version}-${identity}")
set(generated ${PROJECT_BINARY_DIR}/generated/jit)
file(CONFIGURE OUTPUT ${generated}/plugin_build.h
     CONTENT "#pragma once\n#define FRIT_CC_BUILD \"@FRIT_CC_BUILD@\"\n" @ONLY)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${plugin_sources} ${PROJECT_SOURCE_DIR}/src/jit/plugin_abi.h)

if(TARGET frit_jit)
  target_include_directories(frit_jit PRIVATE ${generated})
endif()

if(NOT FRIT_LLVM_CONFIG)
  message(STATUS "llvm-config-19 not found: no compiler plugin, compiled programs will run eagerly")
  return()
endif()

function(llvm_config OUT)
  execute_process(COMMAND ${FRIT_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${OUT} ${text} PARENT_SCOPE)
endfunction()

llvm_config(llvm_include --includedir)
llvm_config(llvm_libdir --libdir)
llvm_config(llvm_targets --targets-built)
llvm_config(llvm_libs --link-static --libs x86 codegen passes option lto frontendopenmp
            frontendoffloading frontendhlsl frontenddriver coverage coroutines objcarcopts
            instrumentation irreader bitwriter windowsdriver)
llvm_config(llvm_system --link-static --system-libs)
list(FILTER llvm_libs EXCLUDE REGEX Polly)
set(clang_libs Frontend Driver CodeGen Serialization Parse Sema APINotes Analysis Edit AST ASTMatchers
    Lex Support Basic)
list(TRANSFORM clang_libs PREPEND -lclang)

# lld's driver initialises every target LLVM was built with, and LLVM's pass builder knows Polly's plugin.
set(absent "#include <llvm/Passes/PassPlugin.h>
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, \"absent\", \"0\", [](llvm::PassBuilder&) {}};
}
extern \"C\" {
")
foreach(target IN LISTS llvm_targets)
  if(NOT target STREQUAL "X86")
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND absent "void LLVMInitialize${target}${part}() {}\n")
    endforeach()
  endif()
endforeach()
file(CONFIGURE OUTPUT ${generated}/absent.cpp CONTENT "${absent}}\n" @ONLY)

add_library(frit_cc SHARED ${plugin_sources} ${generated}/absent.cpp)
if(TARGET frit_jit)
  add_dependencies(frit_jit frit_cc)  # found at run time; of the same build
endif()
set_target_properties(frit_cc PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${plugin_folder}/exports.map)
target_include_directories(frit_cc SYSTEM PRIVATE ${llvm_include})
target_include_directories(frit_cc PRIVATE ${generated})
# The flags LLVM itself was built with where they matter; its headers are quick to compile at -O1.
target_compile_options(frit_cc PRIVATE -O1 -g0 -Wall -Wextra -Wno-unused-parameter -fno-exceptions
  -funwind-tables -fvisibility=hidden -fvisibility-inlines-hidden -include plugin_build.h
  -DNDEBUG)  # as an option, because a preset may undefine it
target_compile_definitions(frit_cc PRIVATE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
  __STDC_LIMIT_MACROS)
target_link_directories(frit_cc PRIVATE ${llvm_libdir})
target_link_options(frit_cc PRIVATE -fuse-ld=lld-19 -Wl,-z,defs -Wl,--as-needed -Wl,--gc-sections
  -Wl,--exclude-libs,ALL -Wl,--version-script=${plugin_folder}/exports.map -Wl,-s -Wl,--icf=all -Wl,-z,nodelete
  -Wl,--wrap=exit -Wl,--wrap=_ZN4llvm16FileOutputBuffer6createENS_9StringRefEmj)
target_link_libraries(frit_cc PRIVATE -Wl,--start-group ${clang_libs} -llldELF -llldCommon ${llvm_libs}
  -Wl,--end-group ${llvm_system} Threads::Threads)
