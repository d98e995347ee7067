import { shown } from '../checks.js'
import { ValueError } from '../errors.js'
import { LucidCrud } from '../lucid_crud.js'
import type { Resource } from '../resource/resource.js'
import type { ColumnSettings, CrudOptions } from '../types.js'

/**
 * The column settings: what stands on the call wins over what the CRUD object carries. [S4]
 */
export function settingsOf({ crud, ...options }: CrudOptions): ColumnSettings {
  const carried = crud instanceof LucidCrud ? crud.settings : {}
  return {
    isDeletedColumn: options.isDeletedColumn ?? carried.isDeletedColumn,
    deletedAtColumn: options.deletedAtColumn ?? carried.deletedAtColumn,
    updatedAtColumn: options.updatedAtColumn ?? carried.updatedAtColumn,
  }
}

/**
 * The CRUD object that the option `crud` names or is. [P8]
 *
 * @throws ValueError  when it is none, or one for another model
 */
export function crudOf({ crud = LucidCrud }: CrudOptions, resource: Resource): LucidCrud {
  const { model, name } = resource
  const object = isSubclass(crud, LucidCrud) ? new crud(model) : crud
  if (!(object instanceof LucidCrud)) {
    throw new ValueError(
      `${name}: crud is ${shown(crud)}, and must be a LucidCrud, or a subclass of it`
    )
  }
  if (object.model !== model) {
    throw new ValueError(`${name}: crud is one for ${object.model?.name}, and must be for ${name}`)
  }
  return object.bind(resource) as unknown as LucidCrud
}

function isSubclass<Class>(value: unknown, base: Class): value is Class {
  return value === base || (value as any)?.prototype instanceof (base as any)
}
