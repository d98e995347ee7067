import string from '@adonisjs/core/helpers/string'
import { ValueError, listed } from '#base/errors'
import { apiNameOfRelation, checkAttribute, checkLength } from './model_names.js'

export type RelationKind = 'hasMany' | 'hasOne' | 'manyToMany'

/** A relation of a generated model to records that refer to it. */
export interface Relation {
  /** API name, such as `line_items` or `lineItems` */
  name: string
  /** Attribute name, such as `lineItems` */
  attribute: string
  kind: RelationKind
  /** Class name of the related model */
  model: string
}

const KINDS: readonly RelationKind[] = ['hasMany', 'hasOne', 'manyToMany']

export const RELATION_USAGES = KINDS.map((kind) => `${kind}(Model)`)

/** True for an argument of `make:crud` with the type of a relation. */
export function isRelation(text: string): boolean {
  return kindIn(text) !== undefined
}

/**
 * Parses a relation argument of `make:crud`: `name:type(Model)`. Without a model, the model is derived from the name.
 *
 * @example `items:hasMany(InvoiceItem)`, `tags:manyToMany`
 * @throws ValueError  naming the relation, the error, and the valid form
 */
export function parseRelation(text: string): Relation {
  const [typed, type, ...rest] = splitOutsideParentheses(text)
  const given = nameIn(typed, text)
  const kind = kindIn(text)!
  const error = (message: string) => new ValueError(`${given}: ${message}`)
  const [, parameters, endsInMark] = partsOf(type, error)
  const [model = string.singular(given), ...more] = parameters
  if (more.length > 0 || !/^[a-z]\w*$/i.test(model)) {
    throw error(`a ${kind} names one model, as in items:${kind}(InvoiceItem)`)
  }
  if (endsInMark || rest.length > 0) {
    throw error(`a ${kind} is not a column, so nothing can follow items:${kind}(InvoiceItem)`)
  }
  const attribute = string.camelCase(given)
  const relation = {
    name: apiNameOfRelation(attribute),
    attribute,
    kind,
    model: string.pascalCase(model),
  }
  checkLength(relation.name)
  checkAttribute(relation.name, attribute)
  return relation
}

function kindIn(text: string): RelationKind | undefined {
  const [, type = ''] = splitOutsideParentheses(text)
  const [, name = ''] = /^\s*([a-z]\w*)/i.exec(type) ?? []
  const plain = name.toLowerCase().replaceAll('_', '')
  return KINDS.find((kind) => kind.toLowerCase() === plain)
}

/** Creates an error that names the field. */
export type ErrorText = (message: string) => ValueError

export const MODIFIERS = ['nullable', 'unique', 'index', 'default(VALUE)']

/** Splits `a:b(c:d):e` into its parts. Text in parentheses is not split. */
export function splitOutsideParentheses(text: string): string[] {
  return text.split(/:(?![^(]*\))/)
}

/** Parses `string(80)?` -> `string`, `['80']`, and true for the question mark. */
export function partsOf(
  text: string,
  error: ErrorText
): [name: string, parameters: string[], mark: boolean] {
  const match = /^\s*([a-z]\w*)\s*(?:\(([^()]*)\))?\s*(\??)\s*$/i.exec(text)
  if (!match) {
    throw error(
      `'${text}' can't be read; a field is name:type, then ${listed(MODIFIERS)}, each after a colon, as in number:string(20):unique`
    )
  }
  const [, name, inside, mark] = match
  const parameters = inside === undefined ? [] : inside.split(',').map((one) => one.trim())
  return [name, parameters, mark === '?']
}

/**
 * Returns the name at the beginning of an argument.
 *
 * @param text  the whole argument
 * @throws ValueError  when the part before the first colon is not a name
 */
export function nameIn(typed: string, text: string): string {
  const given = typed.trim()
  if (/^[a-z]\w*$/i.test(given)) return given
  throw new ValueError(
    `'${text}' is not a field: it begins with a name of letters, digits and _, as in number:string:unique`
  )
}
