"""What building for this interpreter needs, as a CMake list: its version, the folder of its headers, the
ending of an extension's name. Or, on stderr, why there is nothing to build."""
import os
import sys
import sysconfig

version = "{}.{}".format(*sys.version_info)
include = sysconfig.get_path("include")
if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info < (3, 15):
    sys.exit(f"{sys.implementation.name} {version} is not CPython 3.11 to 3.14")
if not os.path.exists(os.path.join(include, "Python.h")):
    sys.exit(f"its headers are not installed ({include}/Python.h; python3-dev)")
print(version, include, sysconfig.get_config_var("EXT_SUFFIX"), sep=";")
