/* The commands about models and their endpoints, in the form that adonisrc.ts expects. */
import { ListLoader } from '@adonisjs/core/ace'
import CrudRoutes from './crud_routes.js'
import MakeCrud from './make_crud.js'

const loader = new ListLoader([CrudRoutes, MakeCrud])

export const getMetaData: typeof loader.getMetaData = () => loader.getMetaData()
export const getCommand: typeof loader.getCommand = (metaData) => loader.getCommand(metaData)
