import type { DatabaseKind } from './helpers/databases.js'

/** Result of a scenario. */
export interface Finding {
  /** Measurements as text */
  figures: string
  /** Broken promises; empty if all hold */
  broken: string[]
}

export interface Options {
  /** Acknowledged writes of the scenario `kill` */
  writes: number
  /** Rows of the files of the scenario `others`, records of `bulk-others` */
  rows: number
}

/** A failure and the promise that holds in spite of it. */
export interface Scenario {
  name: string
  promise: string
  /** Databases that the scenario runs on */
  databases: readonly DatabaseKind[]
  run(kind: DatabaseKind, options: Options): Promise<Finding>
}

/** The scenario can't run on this machine. */
export class NotHere extends Error {}
