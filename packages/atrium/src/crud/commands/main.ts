import CrudRoutes from './crud_routes.js'
import MakeCrud from './make_crud.js'

export const crudCommands = [CrudRoutes, MakeCrud]
