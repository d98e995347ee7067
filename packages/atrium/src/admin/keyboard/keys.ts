import type { HttpContext } from '@adonisjs/core/http'
import { VersionedCache } from '../permissions/versioned_cache.js'
import type { Preferences } from '../preferences/preferences.js'
import { guardOf } from '../identity/admin_guard.js'

/** Groups of keyboard shortcuts, in the order of the dialog. */
export const KEY_GROUPS = ['everywhere', 'list', 'cell', 'record'] as const

export interface Key {
  group: (typeof KEY_GROUPS)[number]
  /** Name of the function in keys.js; also the last part of the catalogue key, such as `keys.list.open` */
  does: string
  /**
   * Alternative keys as values of `KeyboardEvent.key`; a capital letter is typed with shift. `Mod+` is Ctrl, and on a
   * Mac also Command
   */
  keys: readonly string[]
  /** True if another script than keys.js handles the keys */
  isElsewhere?: true
}

const ARROWS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']
const ORDER = ['Alt+ArrowUp', 'Alt+ArrowDown']

/** All keyboard shortcuts of the site, used by the script, the dialog, the page and the documentation. */
export const KEYS: readonly Key[] = [
  { group: 'everywhere', does: 'help', keys: ['?', 'Mod+/'] },
  { group: 'everywhere', does: 'palette', keys: ['Mod+k'] },
  { group: 'everywhere', does: 'search', keys: ['/'] },
  { group: 'everywhere', does: 'go', keys: ['g'] },
  { group: 'everywhere', does: 'leave', keys: ['Escape'] },
  { group: 'list', does: 'down', keys: ['j'] },
  { group: 'list', does: 'up', keys: ['k'] },
  { group: 'list', does: 'open', keys: ['Enter', 'e'] },
  { group: 'list', does: 'select', keys: ['x'] },
  { group: 'list', does: 'extend', keys: ['X'] },
  { group: 'list', does: 'create', keys: ['n'] },
  { group: 'list', does: 'filter', keys: ['f'] },
  { group: 'list', does: 'before', keys: ['['] },
  { group: 'list', does: 'after', keys: [']'] },
  { group: 'list', does: 'order', keys: ORDER, isElsewhere: true },
  { group: 'cell', does: 'edit', keys: ['Enter', 'F2'], isElsewhere: true },
  { group: 'cell', does: 'move', keys: ARROWS, isElsewhere: true },
  { group: 'cell', does: 'next', keys: ['Tab'], isElsewhere: true },
  { group: 'cell', does: 'keep', keys: ['Escape'], isElsewhere: true },
  { group: 'record', does: 'save', keys: ['Mod+s', 'Mod+Enter'] },
  { group: 'record', does: 'order', keys: ORDER, isElsewhere: true },
  { group: 'record', does: 'before', keys: ['['] },
  { group: 'record', does: 'after', keys: [']'] },
  { group: 'record', does: 'leave', keys: ['Escape'] },
]

/** Returns true for a key without Ctrl or Command, which can be switched off. */
export function isSingle(key: string): boolean {
  return !key.startsWith('Mod+')
}

/**
 * Returns the keys for the script: pairs of key and function name, separated by spaces.
 *
 * @param hasSingle  false to leave out keys without Ctrl or Command
 */
export function writtenKeys(hasSingle: boolean): string {
  const pairs = KEYS.filter(({ isElsewhere }) => !isElsewhere).flatMap(({ does, keys }) =>
    keys.map((key) => [key, does] as const)
  )
  return [...new Map(pairs)]
    .filter(([key]) => hasSingle || !isSingle(key))
    .flat()
    .join(' ')
}

/** Returns a key as displayed to users, in parts: `Mod+s` -> `Ctrl`, `S`. */
export function shownKey(key: string): string[] {
  const [name, modifier] = key.split('+').reverse()
  if (modifier) return [modifier === 'Mod' ? 'Ctrl' : modifier, SHORT[name] ?? capital(name)]
  if (/^[A-Z]$/.test(key)) return ['Shift', key.toLowerCase()]
  return [SHORT[key] ?? key]
}

const SHORT: Record<string, string> = {
  Escape: 'Esc',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

function capital(key: string): string {
  return key.length === 1 ? key.toUpperCase() : key
}

/** Keys after `g` that open the pages of every site. */
export const PAGE_KEYS: Readonly<Record<string, string>> = {
  dashboard: 'd',
  account: 'a',
  events: 'e',
  jobs: 'j',
  health: 'h',
}

const DIGITS = '123456789'

/**
 * Returns the key after `g` for each model of the sidebar: the first unused letter of the label, otherwise the first
 * unused digit.
 *
 * @param labels  labels in the order of the sidebar
 * @returns keys in the same order; null if no key is left
 */
export function goKeys(labels: readonly string[]): Array<string | null> {
  const taken = new Set(Object.values(PAGE_KEYS))
  return labels.map((label) => {
    const key = [...lettersOf(label), ...DIGITS].find((one) => !taken.has(one)) ?? null
    if (key) taken.add(key)
    return key
  })
}

/** Returns the ASCII letters of a label, which every Latin keyboard can type: `Älteste` -> `alteste` */
function lettersOf(label: string): string {
  return label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

/** Name of the preference; false while keys without Ctrl or Command are switched off */
export const SINGLE_KEYS = 'keyboard.single'

const KNOWN = new VersionedCache<boolean>()

/**
 * Returns true if keys without Ctrl or Command work for the signed-in user. These keys are off if the preference cannot
 * be read, because voice input can trigger them by accident.
 */
export async function hasSingleKeys(
  ctx: HttpContext,
  { preferences }: { preferences: Preferences }
): Promise<boolean> {
  const user = guardOf(ctx).signedIn?.owner
  if (!user) return false
  try {
    return await KNOWN.of(preferences, user, SINGLE_KEYS, async () => {
      const found = await preferences.read(user.id, [SINGLE_KEYS])
      return found.get(SINGLE_KEYS) !== false
    })
  } catch (error) {
    ctx.logger.error({ err: error }, 'The keyboard preference could not be read')
    return false
  }
}
