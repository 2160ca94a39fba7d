# polyloop_optimize(TARGET SCHEDULES FOLDER [SOURCES FILE...] [OPTIONS OPTION...])
#
# Compile C files of a target with their loops as the schedules in FOLDER (NAME.schedule for NAME.c) have them. Nothing
# is searched: schedules are proven anew and give the same C on every machine. They belong into version control.
#
#   SOURCES  files of the target; by default those that have a schedule
#   OPTIONS  more options of `polyloop optimize` for reading (-D, -I, --function)
#
# The target TARGET_schedules searches for the schedules again, after a file has changed; TARGET_SEARCH_OPTIONS, a
# variable, may say how ("--auto;--budget;30").

find_program(POLYLOOP_EXECUTABLE polyloop REQUIRED)

function(polyloop_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "SCHEDULES" "SOURCES;OPTIONS")
  if(NOT ARG_SCHEDULES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "polyloop_optimize(TARGET SCHEDULES FOLDER [SOURCES FILE...] [OPTIONS OPTION...])")
  endif()
  get_filename_component(folder "${ARG_SCHEDULES}" ABSOLUTE)
  get_target_property(sources ${target} SOURCES)
  set(reading "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(defines "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(reading "$<$<BOOL:${reading}>:-I$<JOIN:${reading},;-I>>" "$<$<BOOL:${defines}>:-D$<JOIN:${defines},;-D>>")
  set(kept "")
  set(searches "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    get_filename_component(path "${source}" ABSOLUTE)
    get_filename_component(beside "${path}" DIRECTORY)
    set(schedule "${folder}/${name}.schedule")
    if(ARG_SOURCES AND NOT source IN_LIST ARG_SOURCES OR NOT ARG_SOURCES AND NOT EXISTS "${schedule}")
      list(APPEND kept "${source}")
      continue()
    endif()
    set(made "${CMAKE_CURRENT_BINARY_DIR}/polyloop/${target}/${name}.c")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/polyloop/${target}")
    add_custom_command(
      OUTPUT "${made}"
      COMMAND "${POLYLOOP_EXECUTABLE}" optimize "${path}" --schedule "${schedule}" -o "${made}" --depfile "${made}.d"
              "${reading}" ${ARG_OPTIONS}
      DEPENDS "${path}" "${schedule}"
      DEPFILE "${made}.d"
      COMMENT "Applying ${name}.schedule"
      COMMAND_EXPAND_LISTS VERBATIM)
    # What it includes stands beside the original.
    set_source_files_properties("${made}" PROPERTIES COMPILE_OPTIONS "-iquote;${beside}")
    list(APPEND kept "${made}")
    list(APPEND searches COMMAND "${POLYLOOP_EXECUTABLE}" optimize "${path}" --emit schedule -o "${schedule}"
         "${reading}" ${ARG_OPTIONS} ${${target}_SEARCH_OPTIONS})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${kept}")
  if(searches)
    add_custom_target(${target}_schedules ${searches} COMMENT "Searching" COMMAND_EXPAND_LISTS VERBATIM)
  endif()
endfunction()
