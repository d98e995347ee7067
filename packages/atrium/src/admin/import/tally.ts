import type { ImportFault, ImportProgress } from '../models/admin_import.js'
import { isFaulty, type Draft } from './rows/draft.js'

/** Maximum number of errors that are kept with an import */
export const MOST_FAULTS = 100

/**
 * Counts what rows do, or did.
 */
export class Tally {
  readonly counts: ImportProgress

  /**
   * @param before  of earlier parts of the same run
   */
  constructor(before?: ImportProgress | null) {
    const none = { new: 0, changed: 0, unchanged: 0, faulty: 0, faults: [] }
    this.counts = structuredClone(before ?? none)
  }

  /** Rows so far */
  get rows(): number {
    const { new: created, changed, unchanged, faulty } = this.counts
    return created + changed + unchanged + faulty
  }

  /** @returns the errors that were added */
  add(drafts: readonly Draft[]): ImportFault[] {
    const faults: ImportFault[] = []
    for (const draft of drafts) {
      if (isFaulty(draft)) {
        this.counts.faulty++
        faults.push(...draft.faults)
      } else this.counts[draft.kind!]++
    }
    const room = MOST_FAULTS - this.counts.faults.length
    if (room > 0) this.counts.faults.push(...faults.slice(0, room))
    return faults
  }
}
