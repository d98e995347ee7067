import type { Contender } from './contender.js'

const API = ['read one', 'list page', 'create', 'update'] as const

/** The real application, as shipped except for the models: with middleware, events and audit rows. */
export const OURS: Contender = {
  name: 'ours',
  script: 'packages/atrium/benchmarks/server.ts',
  operations: [...API, 'admin list page'],
  logsWrites: true,
}

/** The application without event logging, which affects writes only. */
export const OURS_WITHOUT_EVENTS: Contender = {
  name: 'ours, no events',
  script: 'packages/atrium/benchmarks/contenders/ours_without_events.ts',
  operations: ['create', 'update'],
}

/** Controllers with Lucid models and VineJS, as in the AdonisJS documentation; pages with Edge. */
export const HAND_WRITTEN: Contender = {
  name: 'hand-written',
  script: 'packages/atrium/benchmarks/contenders/adonis/handwritten.ts',
  operations: [...API, 'admin list page'],
}

/**
 * The same by hand, with what the application promises of a write: one transaction, a lock, an event row
 * and an audit row with the states before and after, an event after the commit.
 */
export const HAND_WRITTEN_SAME_PROMISES: Contender = {
  name: 'hand-written, same promises',
  script: 'packages/atrium/benchmarks/contenders/adonis/handwritten_same_promises.ts',
  operations: ['create', 'update'],
  logsWrites: true,
}

/** AdonisJS routes with bare prepared statements. */
export const FLOOR: Contender = {
  name: 'floor',
  script: 'packages/atrium/benchmarks/contenders/adonis/floor.ts',
  operations: API,
}

/** `node:http` with prepared statements. */
export const RAW: Contender = {
  name: 'raw',
  script: 'packages/atrium/benchmarks/contenders/raw.ts',
  operations: API,
}
