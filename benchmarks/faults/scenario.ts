import type { DatabaseKind } from './helpers/databases.js'

/**
 * What a scenario measured and what it found broken.
 */
export interface Finding {
  /** Figures, in words */
  figures: string
  /** Promises that did not hold; none: all is well */
  broken: string[]
}

export interface Options {
  /** Acknowledged writes of the scenario `kill` */
  writes: number
}

/**
 * A fault, and the promise that holds in spite of it.
 */
export interface Scenario {
  name: string
  promise: string
  /** Whether it is run on each database there is; otherwise on SQLite alone */
  databases: readonly DatabaseKind[]
  run(kind: DatabaseKind, options: Options): Promise<Finding>
}

/**
 * Something that keeps a scenario from being run here, and is no fault of the application.
 */
export class NotHere extends Error {}
