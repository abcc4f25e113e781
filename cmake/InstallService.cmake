# SPDX-License-Identifier: MIT
# Run by the installation: the unit for systemd, with the paths of the prefix that it is installed to.
# Needs `template`, `bindir`, `docdir` (both may be relative to the prefix) and `scratch`, an existing folder.

get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
cmake_path(ABSOLUTE_PATH bindir BASE_DIRECTORY "${prefix}" NORMALIZE)
cmake_path(ABSOLUTE_PATH docdir BASE_DIRECTORY "${prefix}" NORMALIZE)

# '%' begins something else in a unit, and a space is the end of a word.
string(REPLACE "%" "%%25" docdir "${docdir}")
string(REPLACE " " "%%20" docdir "${docdir}")
string(REPLACE "%" "%%" program "${bindir}/zcapp")
if(program MATCHES " ")
    set(program "\"${program}\"")
endif()

# Another installation, to another prefix, may be on its way: the file is this one's alone.
string(RANDOM LENGTH 16 own)
set(own "${scratch}/unit-${own}")
configure_file("${template}" "${own}/zcapp@.service" @ONLY)
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system" TYPE FILE FILES "${own}/zcapp@.service")
file(REMOVE_RECURSE "${own}")
