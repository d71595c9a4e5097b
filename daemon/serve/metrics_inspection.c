/* The metrics of inspection rules. */
#include "daemon/serve/metrics_internal.h"

#include "daemon/inspection/calls.h"
#include "daemon/inspection/effects.h"

void metrics_inspection(struct exposition *e, const struct inspection_context *inspection)
{
	static const struct inspection_context nothing;
	static const struct calls_counters no_calls;
	const struct inspection_context *x = inspection ? inspection : &nothing;
	const struct calls_counters *calls = x->calls ? calls_counters(x->calls) : &no_calls;

	exposition_single(e, "driftd_inspections_total", METRIC_COUNTER, "Inspections of objects by rules.",
			  (double)x->counters.inspections);
	exposition_family(e, "driftd_inspection_failures_total", METRIC_COUNTER,
			  "Inspections that failed, by the phase of the rule.");
	for (size_t i = 0; i < INSP_PHASES; i++)
		exposition_sample(e, (double)x->counters.failures[i],
				  LABELS({ "phase", str_from(insp_phase_name((enum insp_phase)i)) }));
	exposition_family(e, "driftd_inspection_effects_dropped_total", METRIC_COUNTER,
			  "Entries and calls that exceeded the quota of their rule, or for which there was no room.");
	for (size_t i = 0; i < INSPECTION_EFFECTS; i++)
		exposition_sample(e, (double)x->counters.dropped[i],
				  LABELS({ "effect", str_from(inspection_effect_name((enum inspection_effect)i)) }));
	exposition_single(e, "driftd_api_calls_total", METRIC_COUNTER, "Calls of inspection rules that ended.",
			  (double)calls->made);
	exposition_single(e, "driftd_api_call_failures_total", METRIC_COUNTER, "Those of them that failed.",
			  (double)calls->failed);
}
