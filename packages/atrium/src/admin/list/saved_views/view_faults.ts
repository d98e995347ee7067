import { isStorableText } from '#base/values/text'

export const LONGEST_VIEW_NAME = 80

/* Several times what a list's address takes */
export const LONGEST_VIEW_QUERY = 8000

/** More of one person and model are a mistake or an attack. */
export const MOST_VIEWS = 100

/**
 * The error of a name of a view, as the end of a key in the catalogue.
 */
export function viewNameFault(name: string): 'unnamed' | 'nameTooLong' | 'nameUnreadable' | null {
  if (name.length > 2 * LONGEST_VIEW_NAME || [...name].length > LONGEST_VIEW_NAME) {
    return 'nameTooLong'
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !isStorableText(name)) return 'nameUnreadable'
  return /^[\s\p{C}\p{Z}]*$/u.test(name) ? 'unnamed' : null
}
