DROP TABLE sign_in_networks;
DROP TABLE attempts;
