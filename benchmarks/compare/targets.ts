import type { DriverName } from '../helpers/options.js'

type Targets = Record<string, Partial<Record<DriverName | 'any', number>>>

/* By operation, then by the other contender, then by driver. */
const TARGETS: Record<string, Targets> = {
  'read one': {
    'hand-written': { 'sqlite3': 2.5, 'better-sqlite3': 5 },
    'floor': { 'better-sqlite3': 0.8 },
    'NestJS crud': { any: 5 },
  },
  'list page': {
    'hand-written': { 'sqlite3': 2.5, 'better-sqlite3': 4 },
    'floor': { 'better-sqlite3': 0.7 },
    'NestJS crud': { any: 4 },
  },
  'create': {
    'hand-written': { 'sqlite3': 1, 'better-sqlite3': 1 },
    'floor': { 'better-sqlite3': 0.35 },
    'NestJS crud': { any: 3 },
  },
  'update': {
    'hand-written': { 'sqlite3': 1, 'better-sqlite3': 1 },
    'floor': { 'better-sqlite3': 0.35 },
    'NestJS crud': { any: 3 },
  },
  'create, no events': { 'hand-written': { 'sqlite3': 1.3, 'better-sqlite3': 1.5 } },
  'update, no events': { 'hand-written': { 'sqlite3': 1.3, 'better-sqlite3': 1.5 } },
}

/**
 * Target of a ratio, if one is set.
 */
export function targetOf(
  operation: string,
  driver: DriverName,
  versus: string
): number | undefined {
  const targets = TARGETS[operation]?.[versus]
  return targets?.[driver] ?? targets?.any
}
