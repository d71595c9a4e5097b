# The parts that a build may leave out, all of them there by default. Whoever offers one of them to the rest does so in one line of a table,
# where HAS_<PART> decides (config/part.h); so a part that is left out is its rooms, which are not built, and that line.
option(DRIFTD_KUBEGEN "Bundles and modules of kubegen, also as references" ON)
option(DRIFTD_INSPECTION "Inspection rules" ON)
option(DRIFTD_LEADER "Several hosts for the same clusters, of which one tells" ON)
option(DRIFTD_RECORDING "driftd record and driftd replay" ON)

set(driftd_all_parts ON)
add_library(driftd_parts INTERFACE)
foreach(part KUBEGEN INSPECTION LEADER RECORDING)
  if(DRIFTD_${part})
    target_compile_definitions(driftd_parts INTERFACE HAS_${part}=1)
  else()
    target_compile_definitions(driftd_parts INTERFACE HAS_${part}=0)
    set(driftd_all_parts OFF)
  endif()
endforeach()

# driftd_part(PART VARIABLE items...): adds the items to the list in a build with that part; driftd_without: in one without it.
function(driftd_part part variable)
  if(DRIFTD_${part})
    set(${variable} ${${variable}} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()
function(driftd_without part variable)
  if(NOT DRIFTD_${part})
    set(${variable} ${${variable}} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()
