# gy_generate: the trace generator and its models, which are part of the program.
set(GY_MODEL_FILES "")
foreach(model philly helios-venus helios-earth helios-saturn helios-uranus helios itp-2021)
  list(APPEND GY_MODEL_FILES ${CMAKE_CURRENT_SOURCE_DIR}/models/${model}.json)
endforeach()
gy_embed(${CMAKE_CURRENT_BINARY_DIR}/gy_generate_models.c gy_generate_models ${GY_MODEL_FILES})
gy_library(gy_generate
  SOURCES gy_generate.c gy_generate_plan.c gy_generate_model.c gy_generate_law.c gy_generate_arrivals.c
          gy_generate_batch.c gy_generate_fields.c gy_generate_csv.c gy_generate_options.c gy_generate_internal.h
          ${CMAKE_CURRENT_BINARY_DIR}/gy_generate_models.c
  HEADERS gy_generate.h
  LINKS gy_engine gy_base)
