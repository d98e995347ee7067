import { AsyncLocalStorage } from 'node:async_hooks'
import { UTC } from './time_zone.js'

const PRESENT = new AsyncLocalStorage<string>()

/**
 * Runs a function for which times are shown and typed in a zone, with all that it awaits. [R12]
 */
export function inZone<Result>(zone: string, run: () => Result): Result {
  return PRESENT.run(zone, run)
}

/**
 * The time zone of the page that is made, or of the form that is read: UTC elsewhere, as in commands. [R12]
 */
export function presentZone(): string {
  return PRESENT.getStore() ?? UTC
}
