import type { Site } from '../../views/site.js'
import {
  ALL,
  listIn,
  LISTS,
  type PermissionsDocument,
  type RoleList,
} from '../../models/permissions_document.js'
import { offeredNames } from '../role_errors.js'

/** A checkbox or a radio button. */
export interface MatrixBox {
  name: string
  value: string
  label: string
  checked: boolean
  /** True if the application has nothing with this name */
  unknown: boolean
}

type ListedSite = Pick<Site, 'models' | 'pages' | 'cards' | 'text'>

/** A part of the matrix below the models: pages or cards of the application, each with a checkbox. */
export interface MatrixList {
  list: RoleList
  label: string
  help: string
  boxes: MatrixBox[]
}

/**
 * Returns the lists of a role's permissions; none for an application without pages and cards, unless the document
 * contains some.
 *
 * @param field  name of the form field that contains the matrix
 */
export function matrixLists(
  site: ListedSite,
  field: string,
  document: PermissionsDocument
): MatrixList[] {
  return LISTS.flatMap((list) => {
    const known = offeredNames(site, list)
    const given = listIn(document, list)
    const names = new Set([...known.keys(), ...given.filter((name) => name !== ALL)])
    if (names.size === 0 && given.length === 0) return []
    const box = (value: string, label: string, unknown = false): MatrixBox => ({
      name: listInput(field, list),
      value,
      label,
      checked: given.includes(value),
      unknown,
    })
    return {
      list,
      label: site.text(`roles.matrix.lists.${list}.label`),
      help: site.text(`roles.matrix.lists.${list}.help`),
      boxes: [
        box(ALL, site.text(`roles.matrix.lists.${list}.all`)),
        ...[...names].map((name) => box(name, known.get(name) ?? name, !known.has(name))),
      ],
    }
  })
}

/** Returns the name of the inputs of a list, such as `permissions.pages`. */
function listInput(field: string, list: RoleList): string {
  return `${field}.${list}`
}

/** Returns the lists that a form with a matrix submitted. */
export function readLists(
  field: string,
  sent: ReadonlyMap<string, readonly string[]>
): Partial<Record<RoleList, string[]>> {
  const lists = LISTS.map((list) => {
    const names = (sent.get(listInput(field, list)) ?? []).filter((name) => name !== '')
    return [list, names] as const
  })
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0))
}
