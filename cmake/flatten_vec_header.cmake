# Script: the vector header as text.
#
#   cmake -DSOURCE=<src folder> -DTEXT=<text file> -P this
#       puts the files that vec/vec.h includes one after the other, in its order, without comments,
#       include lines and indentation; vec.h lists every file after those it needs, so order is all
#       there is to it
#   cmake -DFROM=<text file> -DLITERAL=<C++ file> -P this
#       writes a text as C++ string literals
if(FROM)
  file(READ ${FROM} literal)
  string(REPLACE "\\" "\\\\" literal "${literal}")
  string(REPLACE "\"" "\\\"" literal "${literal}")
  string(REPLACE "\n" "\\n\"\n\"" literal "${literal}")
  file(WRITE ${LITERAL} "\"${literal}\"\n")
  return()
endif()

file(READ ${SOURCE}/vec/vec.h umbrella)
string(REGEX MATCHALL "#include \"vec/[a-z0-9_]+\\.h\"" includes "${umbrella}")
set(text "")
foreach(line IN LISTS includes)
  string(REGEX REPLACE "#include \"(.*)\"" "\\1" path "${line}")
  file(READ ${SOURCE}/${path} part)
  string(REGEX REPLACE "//[^\n]*" "" part "${part}")
  string(REGEX REPLACE "#include[^\n]*" "" part "${part}")
  string(REGEX REPLACE "#pragma once" "" part "${part}")
  string(REGEX REPLACE "[ \t]+\n" "\n" part "${part}")
  string(REGEX REPLACE "\n[ \t]+" "\n" part "${part}")
  string(REGEX REPLACE "\n\n+" "\n" part "${part}")
  string(APPEND text "${part}")
endforeach()
string(REGEX REPLACE "^\n" "" text "${text}")
file(WRITE ${TEXT} "${text}")
