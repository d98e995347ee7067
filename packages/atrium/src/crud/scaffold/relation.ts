import string from '@adonisjs/core/helpers/string'
import { ValueError } from '#base/errors'
import { apiNameOfRelation } from './model_names.js'
import { nameIn, partsOf, splitOutsideParentheses } from './field_text.js'
import { checkAttribute, checkLength } from './reserved.js'

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
