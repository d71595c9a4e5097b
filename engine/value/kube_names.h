/* Names that Kubernetes and its tools give to parts of objects. */
#ifndef VALUE_KUBE_NAMES_H
#define VALUE_KUBE_NAMES_H

/* The annotation in which kubectl stores what was applied last, as JSON. */
#define KUBE_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

#endif
