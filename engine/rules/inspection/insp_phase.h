/* When rules run: before anything else is known of an object, before it is compared, and after that. */
#ifndef RULES_INSPECTION_PHASE_H
#define RULES_INSPECTION_PHASE_H

/* ORDER insp_phase */
enum insp_phase { INSP_EARLY, INSP_PREPROCESS, INSP_MAIN, INSP_PHASES };

#endif
