import type { LucidModel } from '@adonisjs/lucid/types/model'
import { isList, isObject, type Check } from '../checks.js'
import { ValueError } from '../errors.js'
import type { Column } from './column.js'
import type { ColumnSet } from './column_set.js'

/** Allowed changes of a column: value -> the values that may follow it. */
type Steps = Readonly<Record<string, readonly string[]>>

/** Allowed changes of columns, by API name, such as `{ status: { draft: ['confirmed', 'cancelled'] } }`. */
export type Transitions = Readonly<Record<string, Steps>>

/** A column whose changes are limited. */
export interface LimitedColumn {
  column: Column
  steps: Steps
}

export const TRANSITIONS: Check = [
  (value) =>
    isObject(value) &&
    Object.values(value).every(
      (steps) =>
        isObject(steps) &&
        Object.values(steps).every((next) => isList(next, (one) => typeof one === 'string'))
    ),
  "a map from columns to the values that may follow each value, as in { status: { draft: ['confirmed'] } }",
]

/* Transitions that the view of a model sets, in addition to those of its `@Crud` */
const NOTED = new WeakMap<LucidModel, Transitions>()

/** Limits changes of a model's columns for all of its resources. */
export function noteTransitions(model: LucidModel, transitions: Transitions): void {
  NOTED.set(model, { ...NOTED.get(model), ...transitions })
}

/**
 * Returns the columns whose changes are limited.
 *
 * @throws ValueError  for an unknown column
 */
export function limitedColumns(
  model: LucidModel,
  columns: ColumnSet,
  given: Transitions = {}
): LimitedColumn[] {
  return Object.entries({ ...NOTED.get(model), ...given }).map(([name, steps]) => {
    const column = columns.find(name)
    if (column) return { column, steps }
    throw new ValueError(`${model.name}: transitions names '${name}', which is not a column`)
  })
}

/** Returns the name of a transition in permissions, such as `status:draft>confirmed`. */
export function transitionName({ apiName }: Column, from: string, to: string): string {
  return `${apiName}:${from}>${to}`
}

/** Returns the names of all transitions of limited columns. */
export function transitionNames(limited: readonly LimitedColumn[]): string[] {
  return limited.flatMap(({ column, steps }) =>
    Object.entries(steps).flatMap(([from, next]) =>
      next.map((to) => transitionName(column, from, to))
    )
  )
}

/** True for the name of a transition, which no other permission has. */
export function isTransitionName(name: string): boolean {
  return name.includes('>')
}

/**
 * Returns the values that may follow a value; null for an empty value, which any value may follow. A value without an
 * entry may not change: the list is empty.
 */
export function nextValues({ steps }: LimitedColumn, from: unknown): readonly string[] | null {
  if (from === null || from === undefined || from === '') return null
  const value = String(from)
  return Object.hasOwn(steps, value) ? steps[value] : []
}
