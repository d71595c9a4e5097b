/* From a request to the function that answers it. */
#ifndef APISIM_ROUTE_H
#define APISIM_ROUTE_H

#include "http.h"

/* Called once the body is complete. */
enum MHD_Result route(struct request *req);

/* The handlers. */
enum MHD_Result discovery_api(struct request *req);
enum MHD_Result discovery_apis(struct request *req);
enum MHD_Result discovery_group(struct request *req, const char *group);
enum MHD_Result discovery_version(struct request *req, const char *group, const char *version);
enum MHD_Result list_serve(struct request *req);
enum MHD_Result watch_serve(struct request *req);
enum MHD_Result write_serve(struct request *req); /* create, update, patch, delete, deletecollection */
enum MHD_Result access_review_serve(struct request *req);
enum MHD_Result control_serve(struct request *req, const char *what);

#endif
