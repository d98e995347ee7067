import type { DriverName } from '../helpers/options.js'

type Targets = Record<string, Partial<Record<DriverName | 'any', number>>>

const SAME_PROMISES = { 'sqlite3': 1.3, 'better-sqlite3': 1.5, 'postgres': 1.1 }
const NEST_CRUD_WRITES = { 'sqlite3': 1.5, 'better-sqlite3': 2 }
const PLAIN = { 'sqlite3': 0.9, 'better-sqlite3': 1.1, 'postgres': 0.7 }

const WRITES: Targets = {
  'hand-written, same promises': SAME_PROMISES,
  'floor': { 'better-sqlite3': 0.35 },
  'NestJS crud': NEST_CRUD_WRITES,
}

/* By operation, then by the other contender, then by driver. */
const TARGETS: Record<string, Targets> = {
  'read one': {
    'hand-written': { 'sqlite3': 3, 'better-sqlite3': 5, 'postgres': 1.5 },
    'floor': { 'better-sqlite3': 0.65 },
    'NestJS crud': { any: 5 },
  },
  'list page': {
    'hand-written': { 'sqlite3': 3, 'better-sqlite3': 5, 'postgres': 1.8 },
    'floor': { 'better-sqlite3': 1.1 },
    'NestJS crud': { any: 4 },
  },
  'create': WRITES,
  'update': WRITES,
  'create, no events': { 'hand-written': PLAIN },
  'update, no events': { 'hand-written': PLAIN },
  'create, 20 connections': {
    'hand-written, same promises': { 'sqlite3': 1.5, 'better-sqlite3': 2, 'postgres': 1.1 },
  },
}

/** Target of a ratio, if one is set. */
export function targetOf(
  operation: string,
  driver: DriverName,
  versus: string
): number | undefined {
  const targets = TARGETS[operation]?.[versus]
  return targets?.[driver] ?? targets?.any
}
