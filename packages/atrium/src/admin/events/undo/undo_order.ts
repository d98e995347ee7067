import { fromStored } from '#base/values/stored_json'
import type { UndoStep } from './undo_step.js'

/** A record that comes back, and columns that refer to records which come back after it. */
export interface Creation {
  step: UndoStep
  postponed: ReadonlySet<string>
}

/**
 * Orders records that come back by their foreign keys: those that others refer to come first. In a circle,
 * a reference is written once both records are there.
 */
export function creationsInOrder(steps: readonly UndoStep[]): Creation[] {
  const created = steps.filter(({ operation }) => operation === 'create')
  const byTable = Map.groupBy(created, ({ target }) => target.resource.table)
  const indexes = new Map<string, Map<string, UndoStep>>()
  const ordered: Creation[] = []
  const states = new Map<UndoStep, 'under way' | 'done'>()

  const referredBy = (step: UndoStep) =>
    step.target.resource.foreignKeys.flatMap(({ columns, references, table }) => {
      const id = JSON.stringify([table, references])
      let index = indexes.get(id)
      if (!index) {
        const others = byTable.get(table) ?? []
        index = new Map(others.map((other) => [valuesIn(other, references) ?? '', other]))
        indexes.set(id, index)
      }
      const values = valuesIn(step, columns)
      const other = values === null ? undefined : index.get(values)
      return other && other !== step ? [{ other, columns }] : []
    })

  /* Without recursion, as a chain of records may be long. */
  for (const first of created) {
    const path: Array<{ step: UndoStep; left: ReturnType<typeof referredBy>; later: Set<string> }> =
      []
    const enter = (step: UndoStep) => {
      states.set(step, 'under way')
      path.push({ step, left: referredBy(step), later: new Set() })
    }
    if (!states.has(first)) enter(first)
    while (path.length > 0) {
      const { step, left, later } = path.at(-1)!
      const next = left.pop()
      if (!next) {
        states.set(step, 'done')
        ordered.push({ step, postponed: later })
        path.pop()
      } else if (states.get(next.other) === 'under way') {
        for (const name of next.columns) later.add(name)
      } else if (!states.has(next.other)) enter(next.other)
    }
  }
  return ordered
}

/** Steps in an order in which each can be done by itself where no records refer to each other. */
export function inOrder(steps: readonly UndoStep[]): UndoStep[] {
  const created = creationsInOrder(steps).map(({ step }) => step)
  const others = steps.filter(({ operation }) => operation !== 'create')
  const [removed, changed] = [true, false].map((isRemoved) =>
    others.filter(({ reversal }) => (reversal.before === null) === isRemoved)
  )
  return [...created, ...changed, ...removed.toReversed()]
}

function valuesIn({ reversal }: UndoStep, names: readonly string[]): string | null {
  const values = names.map((name) => fromStored(reversal.before?.[name]))
  return values.includes(null) ? null : JSON.stringify(values.map(String))
}
