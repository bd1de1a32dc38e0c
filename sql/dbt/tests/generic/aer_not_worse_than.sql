{% test aer_not_worse_than(model, baseline, margin=0) %}
-- Systems whose AER exceeds that of the baseline by more than the margin; all, if it is missing.
select system, aer, (select aer from {{ model }} where system = '{{ baseline }}') as aer_of_baseline
from {{ model }}
where coalesce(aer > aer_of_baseline + {{ margin }}, true)
{% endtest %}
