# driftd_module(NAME DIR [EXCLUDE files...] [DEPENDS targets...] [LINK libraries...])
#
# A room of the house: the sources of one folder as a static library with its own include boundary. Its headers are included by their path in
# the tree ("daemon/watch/cluster/cluster.h"), those of the engine without the leading "engine/" ("value/val.h"), and only by targets that link the
# library: the include path holds a link to this one folder and nothing else, so that a wrong inclusion does not compile. A folder inside a
# folder is a room of its own, which may be included wherever the outer one may; check-includes looks after that.
function(driftd_module name dir)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "EXCLUDE;DEPENDS;LINK")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*.c)
  foreach(file ${arg_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/${dir}/${file})
  endforeach()
  string(REGEX REPLACE "^engine/" "" path ${dir})
  set(include ${CMAKE_BINARY_DIR}/include/${name})
  cmake_path(GET path PARENT_PATH parent)
  file(MAKE_DIRECTORY ${include}/${parent})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${dir} ${include}/${path} SYMBOLIC)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${include})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS} PRIVATE driftd_flags ${arg_LINK})
endfunction()
