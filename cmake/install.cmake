# bin/invar finds ../share/invar/engine: the sources that it builds with each library's own wrapper, of engine and shim.
install(TARGETS invar RUNTIME DESTINATION bin)
foreach(folder base record clock host group tuning ops engine shim)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${folder} DESTINATION share/invar/engine
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "*.def" PATTERN "*.h")
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/campaigns DESTINATION share/invar FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rules DESTINATION share/invar FILES_MATCHING PATTERN "*.rules")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools DESTINATION share/invar FILES_MATCHING PATTERN "__pycache__" EXCLUDE PATTERN "*.py" PATTERN "*.R")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/doc/invar FILES_MATCHING PATTERN "*.md")
install(FILES README.md LICENSE CITATION.cff DESTINATION share/doc/invar)
