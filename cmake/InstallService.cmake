# SPDX-License-Identifier: MIT
# Run by the installation: the unit for systemd, with the paths of the prefix that it is installed to.
# Needs `template`, `bindir`, `docdir` (both may be relative to the prefix) and `unit`, the file to make.

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
configure_file("${template}" "${unit}" @ONLY)
file(INSTALL DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/systemd/system" TYPE FILE FILES "${unit}")
