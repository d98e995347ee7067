import { tooManyAnswers } from './problems.js'

/* Each holds a connection until its client has received it; lists need some, too. */
const MOST_AT_ONCE = 2

let taken = 0

/**
 * Takes one of the places for exports that are being sent by this process, of the API and of the admin site
 * together.
 *
 * @returns a function that gives it back; further calls do nothing
 * @throws Problem 503  while all are taken
 */
export function takeExportSlot(): () => void {
  if (taken >= MOST_AT_ONCE) throw tooManyAnswers()
  taken++
  let isTaken = true
  return () => {
    if (isTaken) taken--
    isTaken = false
  }
}
