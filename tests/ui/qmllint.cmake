# Fails when qmllint has anything to say about the window's QML.
file(GLOB_RECURSE files ${SOURCES}/*.qml)
execute_process(COMMAND ${QMLLINT} -I ${MODULES} ${files}
                OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE code)
if(NOT "${out}${err}" STREQUAL "" OR NOT code EQUAL 0)
  message(FATAL_ERROR "${out}${err}")
endif()
