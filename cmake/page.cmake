# The report page: one HTML file beside the program, made by scripts/build-page out of web/. Target `page`, part of `all`.
# Without PyPI or npm there is no file, and as it is what the command promises, the next build tries again.
option(INVAR_PAGE "Build the report page (needs python3 with venv, PyPI and npm)" ON)

if(INVAR_PAGE AND NOT INVAR_ENGINE_ONLY)
  set(INVAR_PAGE_FILE ${PROJECT_BINARY_DIR}/page.html)
  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB page_sources CONFIGURE_DEPENDS ${web}/*.ts ${web}/*.json ${web}/*.html)
  file(GLOB_RECURSE page_code CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css ${web}/test/*.ts)
  add_custom_command(OUTPUT ${INVAR_PAGE_FILE}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-page ${PROJECT_BINARY_DIR}
    DEPENDS ${page_sources} ${page_code} ${PROJECT_SOURCE_DIR}/scripts/build-page
    COMMENT "Building page.html" VERBATIM)
  add_custom_target(page ALL DEPENDS ${INVAR_PAGE_FILE})
  install(FILES ${INVAR_PAGE_FILE} DESTINATION share/invar OPTIONAL)
else()
  add_custom_target(page COMMENT "INVAR_PAGE is off: no page")
endif()
