"""From scores to estimates: rates, paired contrasts, consistency, power, agreement, correction, divergence, detection.

    summaries    rates, means, spread, with intervals that respect clusters
    attempts     pass@k
    consistency  all right, flips and agreement across variants
    contrasts    what changed between two levels of a factor, paired, with multiplicity control
    words        a contrast in a sentence
    defaults     the estimates and contrasts that a study gets unasked
    power        how many items an effect needs
    agreement    kappa, alpha, sensitivity and specificity against labels
    correction   rates corrected for a judge's errors
    divergence   how far answers move between cultures and cue levels
    detection    finding faulty solutions, with and without clean controls

Frames in, frames out (schema.ESTIMATES). Nothing is imported here: scipy loads with the module that needs it.
"""
