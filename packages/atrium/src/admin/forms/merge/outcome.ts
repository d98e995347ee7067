/**
 * The outcome of a field that two people had open: their values are the same, one of them alone changed it, or
 * both did and one has to choose.
 */
export type Outcome = 'same' | 'mine' | 'theirs' | 'asked'

/**
 * Prints of one field.
 */
export interface Versions {
  /** When the form was opened; undefined if that is not known */
  opened: string | undefined
  /** As sent; undefined if the field was left alone */
  mine: string | undefined
  /** In the record as it is now */
  now: string
}

/**
 * Compares three versions of a field. [R15]
 */
export function outcomeOf({ opened, mine, now }: Versions): Outcome {
  if (mine === now) return 'same'
  if (opened === undefined) return mine === undefined ? 'same' : 'asked'
  if (mine === undefined || mine === opened) return opened === now ? 'same' : 'theirs'
  return now === opened ? 'mine' : 'asked'
}
