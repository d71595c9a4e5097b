# driftd_module(NAME DIR [DEPENDS targets...] [LINK libraries...])
#
# A folder as a static library with its own include boundary. Headers are included as "<last part of DIR>/<header>", and
# only by targets that link the library: the include path holds a link to this one folder and nothing else, so that a
# wrong inclusion does not compile.
function(driftd_module name dir)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DEPENDS;LINK")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/*.c)
  get_filename_component(leaf ${dir} NAME)
  set(include ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${dir} ${include}/${leaf} SYMBOLIC)
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${include})
    target_link_libraries(${name} INTERFACE ${arg_DEPENDS})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${include})
  target_link_libraries(${name} PUBLIC ${arg_DEPENDS} PRIVATE driftd_flags ${arg_LINK})
endfunction()
