terraform {
  required_providers {
    watertight = {
      source = "watertight-data/watertight"
    }
  }
}

# Everything may also come from the environment (DATABRICKS_HOST, DATABRICKS_TOKEN, DATABRICKS_WAREHOUSE_ID) or from a
# profile in ~/.databrickscfg.
provider "watertight" {}
