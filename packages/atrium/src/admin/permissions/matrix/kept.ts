import { ALL, type ModelPermissions, readPermissions, ROLE_ACTIONS } from '../document.js'

/** The fields and records that a role names for a model. */
export type Kept = ModelPermissions

/**
 * Writes what is folded in a row, for a hidden input: fields and scopes are loaded when a row is unfolded,
 * and must not be lost where it is not. [U6]
 *
 * @param others  names of the model's other actions, such as bulk actions, all of which `*` stands for
 * @returns the empty text if there is nothing
 */
export function writeKept(entry: ModelPermissions | undefined, others: readonly string[]): string {
  if (!entry) return ''
  const { hidden, readonly, scopes } = entry
  const actions = entry.actions.includes(ALL) ? others : entry.actions.filter(isNoRoleAction)
  const kept = { ...(actions.length > 0 && { actions }), hidden, readonly, scopes }
  const text = JSON.stringify(kept)
  return text === '{}' ? '' : text
}

/**
 * @throws SyntaxError | InvalidPermissions
 */
export function readKept(text: string): Kept {
  if (text === '') return { actions: [] }
  return readPermissions({ kept: { actions: [], ...JSON.parse(text) } }).kept
}

export function isNoRoleAction(name: string): boolean {
  return name !== ALL && !(ROLE_ACTIONS as readonly string[]).includes(name)
}
