import type { LucidModel } from '@adonisjs/lucid/types/model'
import { listed, ValueError } from '../errors.js'
import { Column } from './column.js'

/**
 * The columns of a model, found by any of their names.
 */
export class ColumnSet {
  readonly all: readonly Column[]
  readonly #model: string

  /**
   * @throws ValueError  when two columns have the same name on the wire
   */
  constructor(model: LucidModel) {
    this.#model = model.name
    this.all = [...model.$columnsDefinitions].map(
      ([attribute, definition]) => new Column(model, attribute, definition)
    )
    for (const [wire, columns] of Map.groupBy(this.all, (column) => column.wire)) {
      if (columns.length > 1) {
        throw new ValueError(
          `${model.name}: the columns ${listed(columns.map((column) => column.attribute))} have the same name '${wire}' on the wire; give one of them another serializeAs`
        )
      }
    }
  }

  /**
   * By attribute name or by wire name, the attribute first: how a schema names columns. [P6]
   */
  find(name: string): Column | undefined {
    return (
      this.all.find((column) => column.attribute === name) ??
      this.all.find((column) => column.wire === name)
    )
  }

  /**
   * By any name, the table's included: how a setting names columns.
   */
  findByAnyName(name: string): Column | undefined {
    return this.find(name) ?? this.all.find((column) => column.name === name)
  }

  /**
   * The column that a setting names; the usual one where nothing is set.
   *
   * @throws ValueError  when the setting names a column that does not exist
   */
  fromSetting(option: string, setting: string | undefined, usual: string): Column | undefined {
    if (setting === undefined) return this.findByAnyName(usual)
    const column = this.findByAnyName(setting)
    if (!column) {
      throw new ValueError(
        `${this.#model}: ${option} names '${setting}', which is no column of the model; its columns are ${listed(this.all.map((one) => one.wire))}`
      )
    }
    return column
  }

  /**
   * The columns that answers may show.
   */
  get visible(): Column[] {
    return this.all.filter((column) => !column.hidden)
  }
}
